/** Splits `machines.cluster.x-k8s.io` for error messages and associated data. */
export const resourceParts = (type: string): { group: string; plural: string } => {
  const dot = type.indexOf('.');
  return dot < 0 ? { group: '', plural: type } : { group: type.slice(dot + 1), plural: type.slice(0, dot) };
};
