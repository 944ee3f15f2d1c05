import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type Backend, pointerTo, secretNames, secretPrefix, splitForSecrets } from './user-data.ts';

const backends: Backend[] = ['secrets-manager', 'ssm-parameter-store'];
const roots: Record<Backend, string> = {
  'secrets-manager': 'aws.cluster.x-k8s.io/',
  'ssm-parameter-store': '/cluster.x-k8s.io/',
};
const token = '0123456789abcdef';
const pointer = (data: Buffer, backend: Backend, launchIndex?: number) => {
  const { prefix, chunks } = splitForSecrets(secretPrefix(token, backend), data);
  const byLaunchIndex = launchIndex !== undefined;
  const text = pointerTo('eu-west-1', { prefix, chunks: chunks.length, byLaunchIndex });
  return { prefix: byLaunchIndex ? `${prefix}-${launchIndex}` : prefix, chunks, text };
};

describe.each(backends)('user data of a machine with %s', (backend) => {
  const small = Buffer.from('#cloud-config\n# password: hunter2\n');
  const large = Buffer.concat([small, Buffer.from(randomBytes(90_000).toString('hex'))]);

  it('has the same size for any bootstrap data, except for the digits of a count', () => {
    const [one, many] = [pointer(small, backend), pointer(large, backend)];
    expect(many.chunks.length).toBeGreaterThan(9);
    expect(many.text.length - one.text.length).toBe(String(many.chunks.length).length - 1);
  });

  it('contains none of the bootstrap data', () => {
    const { text, chunks } = pointer(small, backend);
    expect(text).not.toContain('hunter2');
    for (const chunk of chunks) expect(text).not.toContain(chunk);
  });

  it('uses unguessable secret names, under the prefix that node profiles may read', () => {
    const { prefix, text } = pointer(small, backend);
    expect(prefix.startsWith(roots[backend])).toBe(true);
    expect(prefix.slice(roots[backend].length)).toMatch(/^[0-9a-f-]{36}$/);
    expect(secretPrefix('another', backend)).not.toBe(prefix);
    expect(prefix).not.toContain(token);
    expect(text).toContain(prefix);
  });
});

/** A fake `aws` for the script: values are files, and a deletion removes the file. */
const aws = (folder: string) => `#!/bin/bash
for argument in "$@"; do
  case "$previous" in --secret-id|--name) name="$argument";; esac
  previous="$argument"
done
file="${folder}/values/$(basename "$name")"
echo "$1 $2 $(basename "$name")" >> "${folder}/calls"
case "$2" in
  get-*) cat "$file";;
  delete-*) [ ! -e "${folder}/may-not-delete" ] && rm "$file";;
esac
`;

/** A fake `curl` for the metadata service, which wants a session token. */
const metadata = (launchIndex = 0) => `#!/bin/bash
case "$*" in
  *"-X PUT"*"ttl-seconds"*/latest/api/token) echo -n session;;
  *"token: session"*/latest/meta-data/ami-launch-index) echo -n ${launchIndex};;
  *) exit 22;;
esac
`;

describe.each(backends)('an instance with %s', (backend) => {
  const folders: string[] = [];
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });

  const boot = ({
    mayDelete = true,
    times = 1,
    launchIndex,
  }: {
    mayDelete?: boolean;
    times?: number;
    launchIndex?: number;
  } = {}) => {
    const folder = mkdtempSync(join(tmpdir(), 'capstan-boot-'));
    folders.push(folder);
    const data = Buffer.from(`#cloud-config\n${randomBytes(9_000).toString('hex')}\n`);
    const { prefix, chunks, text } = pointer(data, backend, launchIndex);
    mkdirSync(join(folder, 'values'));
    const files = secretNames(prefix, chunks.length).map((name) => join(folder, 'values', name.split('/').at(-1)!));
    for (const [index, file] of files.entries()) writeFileSync(file, chunks[index]!);
    if (!mayDelete) writeFileSync(join(folder, 'may-not-delete'), '');
    writeFileSync(join(folder, 'aws'), aws(folder), { mode: 0o755 });
    writeFileSync(join(folder, 'curl'), metadata(launchIndex), { mode: 0o755 });
    writeFileSync(join(folder, 'systemctl'), `#!/bin/bash\necho "systemctl $*" >> "${folder}/calls"\n`, {
      mode: 0o755,
    });
    const script = text.slice(text.indexOf('#!/bin/bash'), text.lastIndexOf('--capstan-bootstrap\n'));
    const target = join(folder, 'secret-userdata.txt');
    const hook = script.replace('/etc/secret-userdata.txt', target);
    for (let time = 0; time < times; time++)
      execFileSync('bash', ['-c', hook], {
        env: { PATH: `${folder}:${process.env.PATH}`, TMPDIR: folder },
        stdio: 'ignore',
      });
    const calls = readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n');
    return {
      data,
      read: readFileSync(target),
      left: files.filter((file) => existsSync(file)),
      calls,
      count: files.length,
    };
  };

  it('joins its bootstrap data, and deletes each part after the first read', () => {
    const { data, read, left, count } = boot();
    expect(count).toBeGreaterThan(1);
    expect(read.equals(data)).toBe(true);
    expect(left).toEqual([]);
  });

  it('reads the parts for its position in a launch of several', () => {
    const { data, read, left } = boot({ launchIndex: 17 });
    expect(read.equals(data)).toBe(true);
    expect(left).toEqual([]);
  });

  it('boots even if its role may not delete secrets, without a delay', () => {
    const { data, read, left, calls, count } = boot({ mayDelete: false });
    expect(read.equals(data)).toBe(true);
    expect(left).toHaveLength(count);
    expect(calls.filter((call) => call.includes(' delete-'))).toHaveLength(count);
  });

  it('restarts cloud-init when all parts are fetched and deleted, because cloud-init looked for them before', () => {
    const { calls } = boot({ times: 2 });
    expect(calls.filter((call) => call.startsWith('systemctl'))).toEqual(['systemctl restart cloud-init']);
    expect(calls.at(-1)).toBe('systemctl restart cloud-init');
  });

  it('reads once, however often it boots', () => {
    const { calls, count } = boot({ times: 2 });
    expect(calls.filter((call) => call.includes(' get-'))).toHaveLength(count);
  });
});
