/** The taints that nodes of a pool have until an agent of its user's has started. Pure. */
export const startupTaintsRule = 'must be keys of taints with commas between them, such as example.com/agent-not-ready';

const key = /^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?\/)?[A-Za-z0-9]([-\w.]{0,61}[A-Za-z0-9])?$/;

/** Undefined if one of them is no key of a taint. */
export const parseStartupTaints = (text: string): string[] | undefined => {
  const keys = text.split(',').map((one) => one.trim());
  return keys.every((one) => key.test(one)) ? keys : undefined;
};
