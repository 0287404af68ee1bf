import sys, time
from tests.random.source import seeded
from tests.random.programs import program
import fizz
from collections import Counter
bad=Counter(); 
t=time.time()
for seed in range(int(sys.argv[1]), int(sys.argv[2])):
    text = program(seeded(seed))
    if len(sys.argv)>3: print(text)
    try:
        fizz.load("m.fizz", text=text)
    except fizz.FizzError as e:
        for d in e.diagnostics[:1]:
            bad[d.code]+=1
            if bad[d.code]<3: print(seed, d.code, d.text, d.span and text.splitlines()[d.span.line-1])
print(bad, time.time()-t)
