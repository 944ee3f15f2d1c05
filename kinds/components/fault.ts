/** A part of a configuration that makes a program of a node exit. */

export type Component = 'kube-apiserver' | 'kube-controller-manager' | 'kube-scheduler' | 'kubelet' | 'etcd';

export interface Arg {
  name: string;
  value: string;
}

/** As objects have it, which older versions stored without a value, too. */
export interface GivenArg {
  name: string;
  value?: string | undefined;
}

export interface Fault {
  /** The flag without dashes. */
  flag: string;
  /** What the program prints. */
  output: string;
  /** For the user: what is wrong, without naming the program. */
  message: string;
  remedy: string;
  /** Of the finding, where it is not about the flag itself. */
  code?: string;
  /** The field of the configuration, where it is not that of the flags. */
  at?: string;
}

/** A value that only the host can know: a template of cloud-init, or a variable of a container. */
export const isOpen = (value: string): boolean => /\{\{|\{%|\$\(/.test(value);

/** The value of a flag: of several, the last. */
export const lastValueOf = (args: readonly Arg[], flag: string): string | undefined =>
  args.findLast(({ name }) => name === flag)?.value;

export const listOf = (value: string): string[] =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean);

/** The pairs of a map flag, of which the last of a key holds. */
export const pairsOf = (args: readonly Arg[], flag: string): [string, string | undefined][] => {
  const pairs = args
    .filter(({ name }) => name === flag)
    .flatMap(({ value }) => listOf(value))
    .map((pair): [string, string | undefined] => {
      const at = pair.indexOf('=');
      return at < 0 ? [pair, undefined] : [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
    });
  return [...new Map(pairs)];
};
