// The handbook: Copy buttons for commands.
const COPIED = 2_000; // milliseconds for which a button shows it

for (const code of document.querySelectorAll("pre")) {
  const button = Object.assign(document.createElement("button"), { type: "button", className: "copy", textContent: "Copy" });
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(code.textContent.trim());
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), COPIED);
  });
  const frame = Object.assign(document.createElement("div"), { className: "code" });
  code.replaceWith(frame);
  frame.append(code, button);
}
