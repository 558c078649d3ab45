// The handbook follows the reader's choice between light and dark. Where there is room for the list of all calls it shows one
// of them at a time: all of them are 300,000 elements.
const dark = matchMedia("(prefers-color-scheme: dark)");
const wide = matchMedia("(min-width: 768px)"); // as RapiDoc has it
const handbook = document.querySelector("rapi-doc");
const follow = () => {
  handbook.setAttribute("theme", dark.matches ? "dark" : "light");
  handbook.setAttribute("primary-color", dark.matches ? "#9db4ff" : "#2f4fb5");
  handbook.setAttribute("render-style", wide.matches ? "focused" : "read");
};
dark.addEventListener("change", follow);
wide.addEventListener("change", follow);
follow();
