/** A setting `name=value` of an annotation. The value has the rest of the word, so that its form rejects `a=1=2`. */
export const pairOf = (token: string): [name: string, value: string | undefined] => {
  const at = token.indexOf('=');
  return at < 0 ? [token, undefined] : [token.slice(0, at), token.slice(at + 1)];
};
