# A queue in the file $1. Each line on standard input is a call, as {"call": "put", "arguments": {"v": "a"}}, and is
# answered by a line, as {"result": 1}.
queue=$1
touch "$queue"
while read -r line; do
  case $line in
    '{"call": "put"'*)
      v=${line##*'"v": "'}
      echo "${v%%'"'*}" >> "$queue"
      result=$(wc -l < "$queue") ;;
    '{"call": "take"'*)
      result=\"$(head -n 1 "$queue")\"
      sed 1d "$queue" > "$queue.new"
      mv "$queue.new" "$queue" ;;
    '{"call": "size"'*)
      result=$(wc -l < "$queue") ;;
    *)
      echo '{"error": "no such call"}'
      continue ;;
  esac
  echo "{\"result\": $result}"
done
