// The handbook follows the reader's choice between light and dark.
const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => {
  const handbook = document.querySelector("rapi-doc");
  handbook.setAttribute("theme", dark.matches ? "dark" : "light");
  handbook.setAttribute("primary-color", dark.matches ? "#9db4ff" : "#2f4fb5");
};
dark.addEventListener("change", follow);
follow();
