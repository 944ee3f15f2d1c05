/** A setting `name=value` of an annotation. The value has the rest of the word, so that its form rejects `a=1=2`. */
export const pairOf = (word: string): [name: string, value: string | undefined] => {
  const at = word.indexOf('=');
  return at < 0 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
};
