/** Several errors as one text, each once, as Kubernetes joins them. */
export const joined = (errors: readonly string[]): string => {
  const distinct = [...new Set(errors)];
  return distinct.length === 1 ? distinct[0]! : `[${distinct.join(', ')}]`;
};
