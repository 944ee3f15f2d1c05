/** Parses the kubeadm command lines that bootstrap data uses. */

export type KubeadmCommand = { verb: 'init' | 'join'; configPath: string } | { refused: string } | { ignored: true };

const withValue = ['--config', '--v', '-v', '--ignore-preflight-errors', '--skip-phases', '--rootfs', '--vmodule'];
const withoutValue = [
  '--skip-token-print',
  '--skip-certificate-key-print',
  '--upload-certs',
  '--skip-headers',
  '--one-output',
];

/**
 * `args` begin with the program's name. Only `init` and `join` have an effect; other verbs are
 * ignored.
 */
export const readCommand = (args: string[]): KubeadmCommand => {
  const [, verb, ...rest] = args;
  if (verb !== 'init' && verb !== 'join') return { ignored: true };
  const flags = new Map<string, string>();
  for (let at = 0; at < rest.length; at++) {
    const arg = rest[at]!;
    if (!arg.startsWith('-')) return { refused: `unknown command "${arg}" for "kubeadm ${verb}"` };
    const [name = '', ...value] = arg.split('=');
    if (withValue.includes(name)) flags.set(name, value.length ? value.join('=') : (rest[++at] ?? ''));
    else if (!withoutValue.includes(name)) return { refused: `unknown flag: ${name}` };
  }
  const configPath = flags.get('--config');
  if (!configPath) return { refused: `[${verb}] no configuration file: --config is required here` };
  return { verb, configPath };
};
