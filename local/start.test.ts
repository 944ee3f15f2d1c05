import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { globalAgent } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openClient } from '../cli/client.ts';
import type { KubeObject } from '../machinery/api/object.ts';
import { storedFormat } from '../machinery/store/format.ts';
import { kubeconfigOf } from './credentials.ts';
import { startLocal } from './start.ts';

let data: string;
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'capstan-'));
});
afterEach(() => rmSync(data, { recursive: true }));

/** The UIDs of objects created by a control plane that is started and stopped again. */
const uidsOfOneRun = async (run: string): Promise<(string | undefined)[]> => {
  const local = await startLocal({ data, seed: 7, apiOnly: true });
  try {
    const client = openClient(kubeconfigOf(data));
    const uids: (string | undefined)[] = [];
    for (let n = 0; n < 10; n++) {
      const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `${run}-${n}` } });
      const made = await client.json<KubeObject>('POST', '/api/v1/namespaces/default/configmaps', { body });
      uids.push(made.metadata.uid);
    }
    return uids;
  } finally {
    globalAgent.destroy();
    await local.close();
  }
};

it('never assigns a UID twice, whatever seed it restarts with', async () => {
  const uids = [...(await uidsOfOneRun('a')), ...(await uidsOfOneRun('b')), ...(await uidsOfOneRun('c'))];
  expect(new Set(uids).size).toBe(uids.length);
});

describe('the stored format of a data directory', () => {
  const start = () => startLocal({ data, seed: 7, apiOnly: true });
  const file = () => join(data, 'credentials.json');
  const recorded = () => JSON.parse(readFileSync(file(), 'utf8')) as { format?: number; token: string };
  const record = (format: number | undefined) => writeFileSync(file(), JSON.stringify({ ...recorded(), format }));
  beforeEach(async () => (await start()).close());

  it('is recorded', () => expect(recorded().format).toBe(storedFormat));
  it('is recorded in a directory that has none, which is read', async () => {
    const { token } = recorded();
    record(undefined);
    await (await start()).close();
    expect(recorded()).toMatchObject({ format: storedFormat, token });
  });
  it('is not that of a newer version, whose directory stays as it is', async () => {
    record(storedFormat + 1);
    const before = readFileSync(file(), 'utf8');
    const message = `cannot use the data directory ${data}: a newer version of Capstan wrote it`;
    await expect(start()).rejects.toThrow(message);
    expect(readFileSync(file(), 'utf8')).toBe(before);
  });
});
