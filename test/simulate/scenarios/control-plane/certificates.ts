/** A cluster whose users provide its certificate authorities and keep control of them. */
import { generateKeyPairSync } from 'node:crypto';
import { createAuthority } from '../../../../adapters/pki/index.ts';
import type { Secret } from '../../../../kinds/kubernetes/secret/index.ts';
import { sleep } from '../../../../machinery/ports.ts';
import type { Dice } from '../../dice.ts';
import { controlPlane, type ScenarioContext } from '../context.ts';
import { createAfter, deleteAndCreateAgain, uidOfCluster } from '../operations/deletions.ts';

const minute = 60_000;
const purposes = ['ca', 'etcd', 'proxy', 'sa'] as const;
type Purpose = (typeof purposes)[number];
const days = 3000;

const pairOf = (draw: Dice, purpose: Purpose, now: number) => {
  const isRsa = draw.chance(0.5);
  if (purpose !== 'sa') {
    const algorithm = isRsa ? 'RSA-2048' : 'ECDSA-P384';
    return createAuthority({ subject: { commonName: `${purpose} of a user` }, days, algorithm, now });
  }
  const { publicKey, privateKey } = isRsa
    ? generateKeyPairSync('rsa', { modulusLength: 2048 })
    : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    certificate: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    key: privateKey.export({ type: isRsa ? 'pkcs1' : 'sec1', format: 'pem' }).toString(),
  };
};

/** The Secret has a type of its own. Capstan adopts only Secrets of Cluster API's type. */
const secretOf = ({ draw, clock, desired }: ScenarioContext, purpose: Purpose): Secret => {
  const { certificate, key } = pairOf(draw, purpose, clock.now());
  const labels = { 'cluster.x-k8s.io/cluster-name': desired.name };
  const encoded = (text: string) => Buffer.from(text).toString('base64');
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: `${desired.name}-${purpose}`, namespace: 'default', ...(draw.chance(0.7) && { labels }) },
    type: draw.pick(['Opaque', 'kubernetes.io/tls']),
    data: { 'tls.crt': encoded(certificate), 'tls.key': encoded(key) },
  } as Secret;
};

export const provideAuthorities = async (context: ScenarioContext) => {
  const { client, clock, draw, life, settled, desired, world } = context;
  await settled(60);
  if (!life.desired) return;
  const uid = uidOfCluster(context);
  await client.remove('Cluster', desired.name);
  while ((await client.get('Cluster', desired.name)).code !== 404) await sleep(clock, 20_000);
  for (const purpose of desired.providedAuthorities ?? []) await client.remove('Secret', `${desired.name}-${purpose}`);
  // Secrets of the former cluster that are not collected yet would be collected with the new ones.
  const areThere = () => purposes.some((one) => world.mirror.get('Secret', 'default', `${desired.name}-${one}`));
  while (areThere()) await sleep(clock, 20_000);
  const provided = purposes.filter((purpose) => purpose === 'ca' || draw.chance(0.6));
  desired.providedAuthorities = provided;
  for (const purpose of provided) await client.apply(secretOf(context, purpose));
  await createAfter(context, uid);
  await settled(120);
  switch (draw.pick(['stay', 'stay', 'again', 'go'])) {
    case 'again':
      return deleteAndCreateAgain(context);
    case 'go': {
      if (draw.chance(0.5)) {
        await client.remove('KubeadmControlPlane', controlPlane(context));
        await sleep(clock, draw.spread(minute, 60 * minute));
      }
      await client.remove('Cluster', desired.name);
      while ((await client.get('Cluster', desired.name)).code !== 404) await sleep(clock, 20_000);
      await sleep(clock, draw.spread(minute, 20 * minute));
      life.desired = undefined;
      for (const purpose of provided) await client.remove('Secret', `${desired.name}-${purpose}`);
    }
  }
};
