import { X509Certificate } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Secret } from '../../../../kinds/kubernetes/secret/index.ts';
import type { KubeObject } from '../../../../machinery/api/object.ts';
import type { Rule } from '../rule.ts';

const isAuthority = /-(ca|etcd|proxy|sa)$/;
const taken = 'cluster.x-k8s.io/secret';

const certificateIn = (secret: KubeObject | undefined): string | undefined => {
  const { data } = (secret ?? {}) as Secret;
  const text = data?.['tls.crt'];
  return text === undefined ? undefined : Buffer.from(text, 'base64').toString().trim();
};
const isUserProvided = (object: KubeObject): boolean =>
  object.kind === 'Secret' && isAuthority.test(object.metadata.name) && (object as Secret).type !== taken;

export const userProvided: Rule = ({ world, wanted }, broken) => {
  const { guests, mirror } = world;
  return {
    onCommit: ({ object, before, writer, event }) => {
      const known = before ?? object;
      if (!known || !writer || !isUserProvided(known)) return;
      const { name } = known.metadata;
      if (event === 'ADDED') throw broken(`${writer} creates ${name} with a type that only users set`);
      if (!object || object.metadata.deletionTimestamp) throw broken(`${writer} deletes ${name}`);
      const { resourceVersion: _, ...is } = object.metadata;
      const { resourceVersion: __, ...was } = before!.metadata;
      const isSame = isDeepStrictEqual({ ...object, metadata: is }, { ...before, metadata: was });
      if (!isSame) throw broken(`${writer} changes ${name}`);
    },
    atEnd: () => {
      for (const { name, providedAuthorities: purposes = [] } of wanted()) {
        const secret = (purpose: string) => mirror.get('Secret', 'default', `${name}-${purpose}`);
        for (const purpose of purposes) {
          const owners = secret(purpose)?.metadata.ownerReferences ?? [];
          if (!secret(purpose) || owners.length > 0 || !isUserProvided(secret(purpose)!))
            throw broken(`${name}-${purpose} is not as its user provided it`);
        }
        const uid = mirror.get('Cluster', 'default', name)?.metadata.uid;
        const [ca, etcd] = ['ca', 'etcd'].map((purpose) => certificateIn(secret(purpose)));
        const ids = mirror
          .all<KubeObject<{ instanceID?: string }>>('AWSMachine')
          .filter(({ metadata }) => metadata.labels?.['cluster.x-k8s.io/cluster-name'] === name)
          .map(({ spec }) => spec?.instanceID);
        for (const { record } of guests.clusters.all()) {
          const isIts = record.etcd.members.some(({ instanceId }) => ids.includes(instanceId));
          if (!uid || !isIts) continue;
          const same = (one: string, other = '') =>
            other !== '' && new X509Certificate(one).fingerprint256 === new X509Certificate(other).fingerprint256;
          if (!same(record.caCertificate, ca)) throw broken(`${name} is not signed by ${name}-ca`);
          if (!same(record.etcd.caCertificate, etcd)) throw broken(`etcd of ${name} is not signed by ${name}-etcd`);
        }
      }
    },
  };
};
