/** Computes a value at its first use, and keeps it. */
export const once = <T>(make: () => T): (() => T) => {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
};

/**
 * Loads a module at its first use, and keeps it: importing a loaded module again costs as much as a
 * small request.
 */
export const onDemand = <T extends object>(load: () => Promise<T>): (() => Promise<T>) => {
  let loaded: T | undefined;
  return async () => {
    loaded ??= await load();
    return loaded;
  };
};
