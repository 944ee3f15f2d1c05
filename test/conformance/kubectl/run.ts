/**
 * Gives the commands of the matrix to two API servers and prints what differs in exit codes and in
 * what kubectl prints:
 *
 *   node test/conformance/kubectl/run.ts KUBECONFIG KUBECONFIG [KUBECTL] [REGEX]
 *
 * The servers must be empty. The second one is kube-apiserver, the first one is judged. REGEX:
 * which commands to print in full, equal ones too.
 */
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { type Command, commands } from './commands.ts';
import { files } from './files.ts';

interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

/** A user's directory for one server: manifests, a kubeconfig, and `k` on the PATH. */
const userOf = (kubeconfig: string, kubectl: string) => {
  const home = mkdtempSync(join(tmpdir(), 'matrix-'));
  const work = join(home, 'work');
  mkdirSync(work);
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(work, name), text);
    if (name.endsWith('.sh')) chmodSync(join(work, name), 0o755);
  }
  writeFileSync(join(home, 'k'), `#!/bin/sh\nexec ${kubectl} "$@"\n`, { mode: 0o755 });
  const config = join(home, 'config');
  copyFileSync(kubeconfig, config);
  const env = { ...process.env, HOME: home, KUBECONFIG: config, PATH: `${home}${delimiter}${process.env.PATH}` };
  spawnSync(kubectl, ['config', 'set-context', '--current', '--namespace=matrix'], { env });
  return (run: string): Promise<Outcome> =>
    new Promise((resolve) => {
      const child = spawn('bash', ['-c', run], { cwd: work, env, stdio: ['ignore', 'pipe', 'pipe'] });
      const printed = { stdout: '', stderr: '' };
      for (const stream of ['stdout', 'stderr'] as const)
        child[stream].on('data', (chunk: Buffer) => {
          printed[stream] += chunk.toString();
        });
      child.once('close', (code) => resolve({ code: code ?? -1, ...printed }));
    });
};

/** Without what differs between two runs on one server. */
const lasting = (text: string): string =>
  text
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UID')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replace(/(resourceVersion"?: ?"?)\d+/g, '$1N')
    .replace(/\b(?:<invalid>|\d+m?s|\d+m\d+s)(?=\s|$)/g, 'AGE')
    .replace(/127\.0\.0\.1:\d+/g, 'SERVER')
    .replace(/[EWI]\d{4} [\d:.]+ +\d+ /g, 'LOG ')
    .replace(/(Resource Version: +)\d+/g, '$1N')
    .replace(/[ \t]+/g, ' ')
    // The order of faults is that of a Go map.
    .replace(/(?:^\* .*\n?)+/gm, (faults) => faults.trimEnd().split('\n').sort().join('\n'));

const beginningOf = (text: string): string => text.split(/\s+/, 5).join(' ');

const shownOf = ({ loose, except }: Command, { code, stdout, stderr }: Outcome) => {
  if (except) return { code };
  return loose ? { code, stderr: beginningOf(stderr) } : { code, stdout: lasting(stdout), stderr: lasting(stderr) };
};

const [ours, theirs, kubectl = 'kubectl', chosen] = process.argv.slice(2);
if (theirs === undefined) throw new Error('usage: run.ts KUBECONFIG KUBECONFIG [KUBECTL] [REGEX]');
const users = [ours!, theirs].map((kubeconfig) => userOf(kubeconfig, kubectl));
// What controllers make in every namespace, which kube-apiserver alone has none of.
const prepared =
  'k create ns matrix; sleep 2; k create sa default; k create cm kube-root-ca.crt --from-literal=ca.crt=x';
await Promise.all(users.map((user) => user(prepared)));
let same = 0;
let group = '';
for (const command of commands) {
  if (command.group !== group) console.log(`# ${command.group}`);
  group = command.group;
  const [own, upstream] = await Promise.all(users.map(async (user) => shownOf(command, await user(command.run))));
  const isSame = JSON.stringify(own) === JSON.stringify(upstream);
  if (isSame) same++;
  if (isSame && !(chosen && new RegExp(chosen).test(command.run))) continue;
  console.log(`${isSame ? 'same' : 'DIFFERS'}: ${command.run}`);
  for (const [name, shown] of [
    ['ours', own],
    ['theirs', upstream],
  ] as const)
    console.log(
      Object.entries(shown!)
        .map(([part, text]) => `  ${name} ${part}: ${String(text).trimEnd()}`)
        .join('\n'),
    );
}
const excepted = commands.filter(({ except }) => except).length;
console.log(`${same} of ${commands.length} commands are the same, ${excepted} of them in their exit codes alone`);
process.exitCode = same === commands.length ? 0 : 1;
