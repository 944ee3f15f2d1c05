/** What `make` answered lately, for answers that are a function of the key alone and cost more than remembering them. */
export const lately = <V>(most: number, make: (key: string) => V): ((key: string) => V) => {
  const known = new Map<string, V>();
  return (key) => {
    if (known.has(key)) return known.get(key)!;
    const value = make(key);
    if (known.size >= most) known.delete(known.keys().next().value!);
    known.set(key, value);
    return value;
  };
};
