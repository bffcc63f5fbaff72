// Tables of the language, as text.
declare module '*.def' {
  const text: string;
  export default text;
}
