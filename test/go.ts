/** Programs of other projects, built from the Go module proxy. Builds take minutes, so they are cached. */
import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';

const optionsIn = (directory: string) => ({
  cwd: directory,
  encoding: 'utf8' as const,
  env: { ...process.env, GOFLAGS: '-mod=mod', CGO_ENABLED: '0', GOWORK: 'off' },
  maxBuffer: 64 * 1024 * 1024,
});

export const go = (directory: string, ...args: string[]): string =>
  execFileSync('go', args, { ...optionsIn(directory), stdio: ['ignore', 'pipe', 'pipe'] });

/** Runs `go` without blocking the event loop. */
export const goMeanwhile = async (directory: string, ...args: string[]): Promise<string> =>
  (await promisify(execFile)('go', args, optionsIn(directory))).stdout;

/** What a module replaces, which counts only in the module that is built. */
const replacesOf = (module: string, version: string): string => {
  const { GoMod } = JSON.parse(go(tmpdir(), 'mod', 'download', '-json', `${module}@${version}`)) as { GoMod: string };
  return /^replace \([^)]*\)$/m.exec(readFileSync(GoMod, 'utf8'))?.[0] ?? '';
};

/**
 * The program of one source file, built once for each state of it; takes minutes the first time.
 * `replacesAs`: one of the requirements, whose replacements are needed.
 */
export const programOf = (source: string, requirements: Record<string, string>, replacesAs?: string): string => {
  const name = basename(source, '.go');
  const required = Object.entries(requirements).map(([module, version]) => `require ${module} ${version}`);
  const module = [`module ${name}`, 'go 1.26.0', ...required, ''].join('\n');
  const hash = createHash('sha256').update(module).update(readFileSync(source)).digest('hex').slice(0, 12);
  const directory = join(tmpdir(), 'capstan-go', `${name}-${hash}`);
  const binary = join(directory, name);
  if (existsSync(binary)) return binary;
  mkdirSync(directory, { recursive: true });
  const replaced = replacesAs === undefined ? '' : replacesOf(replacesAs, requirements[replacesAs]!);
  writeFileSync(join(directory, 'go.mod'), `${module}${replaced}\n`);
  copyFileSync(source, join(directory, basename(source)));
  go(directory, 'mod', 'tidy');
  // Built under another name: an interrupted build must not look like a finished one.
  go(directory, 'build', '-o', `${binary}.new`, '.');
  renameSync(`${binary}.new`, binary);
  return binary;
};

/** A go.mod for a module that requires k8s.io/kubernetes, whose staging modules are directories unless spelt out. */
export const kubernetesModule = (directory: string, name: string, version: string): string => {
  const { GoMod } = JSON.parse(go(directory, 'mod', 'download', '-json', `k8s.io/kubernetes@${version}`)) as {
    GoMod: string;
  };
  const upstream = readFileSync(GoMod, 'utf8');
  const staging = version.replace('v1.', 'v0.');
  const replaced = [...upstream.matchAll(/^\s*(k8s\.io\/\S+) => \.\/staging\//gm)].map(
    ([, module]) => `replace ${module} => ${module} ${staging}`,
  );
  const goVersion = /^go (\S+)$/m.exec(upstream)![1];
  return [`module ${name}`, `go ${goVersion}`, `require k8s.io/kubernetes ${version}`, ...replaced, ''].join('\n');
};

/** The output of a Kubernetes program's version command. */
export const kubernetesFlags = (version: string): string => {
  const [major, minor] = version.slice(1).split('.');
  const facts = { gitVersion: version, gitMajor: major, gitMinor: minor, gitTreeState: 'clean' };
  const flags = Object.entries(facts).map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`);
  return `-s -w ${flags.join(' ')}`;
};
