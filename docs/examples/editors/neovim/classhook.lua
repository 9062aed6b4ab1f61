-- Neovim 0.11: put this file into ~/.config/nvim/lua/, and `require("classhook")` into init.lua.
vim.filetype.add({ extension = { rules = "classhook-rules" } })

vim.lsp.config("classhook", {
  cmd = { "classhook", "lsp" },
  filetypes = { "classhook-rules" },
  root_markers = { "pom.xml", "build.gradle", "build.gradle.kts", ".git" },
  init_options = { classes = {} }, -- jars and directories; empty: where Maven, Gradle and IntelliJ put classes
})
vim.lsp.enable("classhook")

vim.api.nvim_create_autocmd("FileType", {
  pattern = "classhook-rules",
  callback = function(event)
    vim.bo[event.buf].commentstring = "# %s"
  end,
})
