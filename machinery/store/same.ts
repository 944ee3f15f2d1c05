const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const fields = (value: Record<string, unknown>) => Object.keys(value).filter((key) => value[key] !== undefined);

/** Whether two values have the same JSON, field order aside. */
export const same = (a: unknown, b: unknown): boolean => {
  if (a === b) return true;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => same(item, b[index]));
  }
  if (!isRecord(a) || !isRecord(b)) return false;
  const names = fields(a);
  return names.length === fields(b).length && names.every((name) => Object.hasOwn(b, name) && same(a[name], b[name]));
};
