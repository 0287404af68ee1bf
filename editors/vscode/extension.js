// A thin client: all that it knows about models it asks the server, `fizzpy lsp`.
"use strict";

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function start() {
  const [command, ...args] = vscode.workspace.getConfiguration("fizzpy").get("command");
  const run = { command, args };
  client = new LanguageClient(
    "fizzpy",
    "fizzpy",
    { run, debug: run },
    { documentSelector: [{ language: "fizz", scheme: "file" }] },
  );
  return client.start().catch((error) => {
    const hint = "install fizzpy from a copy of its repository by pip install '.[lsp]', and name its command in the setting fizzpy.command";
    vscode.window.showErrorMessage(`fizzpy: the language server does not start (${error.message}): ${hint}`);
  });
}

async function checkThisFile() {
  const editor = vscode.window.activeTextEditor;
  if (!editor || editor.document.languageId !== "fizz") {
    vscode.window.showInformationMessage("fizzpy: open a model first");
    return;
  }
  await editor.document.save();
  await vscode.commands.executeCommand("fizzpy.check", editor.document.uri.toString());
}

function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand("fizzpy.checkThisFile", checkThisFile),
    vscode.commands.registerCommand("fizzpy.restart", async () => {
      await client.stop();
      await start();
    }),
  );
  return start();
}

function deactivate() {
  return client ? client.stop() : undefined;
}

module.exports = { activate, deactivate };
