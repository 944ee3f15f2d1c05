import { expect, it } from 'vitest';
import { clientOf } from './client.fixture.ts';
import { readConsole, regionOf } from './cloud-console.ts';

const printing = (text: string | undefined) => async () => ({
  ...(text !== undefined && { Output: Buffer.from(text).toString('base64') }),
});

it('shows what an instance has printed, without credentials', async () => {
  const joined = 'kubeadm join --token abcdef.0123456789abcdef\nThis node has joined the cluster\n';
  const text = await readConsole(printing(joined) as never, 'i-1');
  expect(text).toContain('This node has joined the cluster');
  expect(text).not.toContain('0123456789abcdef');
});

it('says that an instance has printed nothing', async () =>
  expect(readConsole(printing(undefined) as never, 'i-1')).rejects.toThrow('instance i-1 has printed nothing yet'));

it.each([
  { zone: 'eu-central-1b', region: 'eu-central-1' },
  { zone: 'us-west-2-lax-1a', region: 'us-west-2' },
])('finds the region of an instance in $zone', async ({ zone, region }) => {
  const items = [{ type: 'instance', id: 'i-1', state: 'running', zone, tags: {} }];
  const client = clientOf(async () => Response.json({ items }));
  expect(await regionOf(client, 'i-1')).toBe(region);
  await expect(regionOf(client, 'i-2')).rejects.toThrow('no instance i-2: capstan cloud list names them');
});
