/** An authority that the user provides is judged before anything is paid. */
import { afterEach, expect, it } from 'vitest';
import { createAuthority } from '../../adapters/pki/index.ts';
import { mergePatch } from '../../machinery/api/merge.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import { isSettled } from './checks.ts';
import { example } from './manifests.ts';
import { createWorld, type World } from './world.ts';

let world: World;
afterEach(() => world.end());

const encoded = (text: string) => Buffer.from(text).toString('base64');
const authority = (now: number) =>
  createAuthority({ subject: { commonName: 'kubernetes' }, days: 30, algorithm: 'ECDSA-P256', now });
const operation = () => world.all('ClusterOperation')[0];

it('that cannot be used is refused, and the creation goes on when it is mended', async () => {
  world = await createWorld({ workflows: true });
  const [mine, other] = [authority(world.now()), authority(world.now())];
  const data = { 'tls.crt': encoded(mine.certificate), 'tls.key': encoded(other.key) };
  const metadata = { namespace: 'default', name: 'quickstart-ca' };
  await world.apply({ apiVersion: 'v1', kind: 'Secret', metadata, data } as never);
  const annotations = { 'capstan.dev/on-create-failure': 'Retry' };
  for (const object of example('quickstart.yaml'))
    await world.apply(
      object.kind === 'Cluster' ? (mergePatch(object, { metadata: { annotations } }) as KubeObject) : object,
    );
  const says = 'Secret default/quickstart-ca: tls.key is not the key of tls.crt: put a pair that belongs together';
  await world.until('refused', () => operation()?.status?.message?.includes(says) === true, 5);
  expect(world.live()).toEqual([]);

  await world.patch('Secret', 'quickstart-ca', { data: { 'tls.key': encoded(mine.key) } });
  await world.until('settled', () => isSettled(world), 60);
  expect(world.find('Secret', 'quickstart-ca')?.data?.['tls.crt']).toBe(data['tls.crt']);
});
