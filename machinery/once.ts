/** Made when it is first asked for, and kept. */
export const once = <T>(make: () => T): (() => T) => {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
};

/** Loaded when it is first asked for, and kept: to find a loaded module again costs as much as a small request. */
export const onDemand = <T extends object>(load: () => Promise<T>): (() => Promise<T>) => {
  let loaded: T | undefined;
  return async () => {
    loaded ??= await load();
    return loaded;
  };
};
