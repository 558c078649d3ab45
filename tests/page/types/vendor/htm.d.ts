export { default as htm } from "htm";
