// Starts `classhook lsp` for files of rules.
const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function settings() {
  return { classes: workspace.getConfiguration("classhook").get("classes") };
}

async function activate() {
  const server = { command: workspace.getConfiguration("classhook").get("command"), args: ["lsp"] };
  client = new LanguageClient("classhook", "classhook rules", server, {
    documentSelector: [{ language: "classhook-rules" }],
    initializationOptions: settings(),
    synchronize: { configurationSection: "classhook" },
  });
  await client.start();
}

function deactivate() {
  return client?.stop();
}

module.exports = { activate, deactivate };
