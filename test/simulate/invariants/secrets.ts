/** Keys and tokens are nowhere but in Secrets, and where a machine fetches them once. */
import { gunzipSync } from 'node:zlib';
import type { KubeadmConfig } from '../../../kinds/kubeadm-config/index.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Invariant, type Setting, Violation } from './invariant.ts';

const inKey = /-----BEGIN [A-Z ]*PRIVATE KEY-----\s+([A-Za-z0-9+/=\s]+?)-----END/g;
/** A line in the middle of a key: no other text has it by chance. */
const canariesOf = (text: string): string[] =>
  [...text.matchAll(inKey)].map((match) => {
    const lines = match[1]!.trim().split(/\s+/);
    return lines[Math.floor(lines.length / 2)]!;
  });

const isTold = /^(kubeadmconfigs|clusteroperations|awsmachines|workloadsnapshots)\./;

/** With which a machine joins: its KubeadmConfig has it, as upstream's does, and the Secret with its bootstrap data. */
const joinTokenOf = (object: KubeObject | undefined): string | undefined =>
  (object as KubeadmConfig | undefined)?.spec?.joinConfiguration?.discovery?.bootstrapToken?.token;

/** Without any key. */
const isReadable = (body: Uint8Array): boolean => {
  try {
    return gunzipSync(body).length > 0;
  } catch {
    return false;
  }
};

export const secrets = ({ world }: Setting): Invariant => {
  const keys = new Set<string>();
  const joinTokens = new Set<string>();
  const texts: string[] = [];
  const expectNone = (what: string, among: Iterable<string>, text: string, where: string) => {
    for (const one of among) if (text.includes(one)) throw new Violation('secrets', `${what} stands in ${where}`);
  };
  const found = (text: string, where: string) => {
    expectNone('a private key', keys, text, where);
    expectNone("a task's token", world.taskTokens, text, where);
    if (!where.startsWith('kubeadmconfigs')) expectNone('a token to join with', joinTokens, text, where);
  };
  const learn = (object: KubeObject | undefined) => {
    const { data = {} } = (object ?? {}) as { data?: Record<string, string> };
    for (const value of Object.values(data))
      for (const canary of canariesOf(Buffer.from(value, 'base64').toString())) keys.add(canary);
  };
  for (const object of world.mirror.all('Secret')) learn(object);
  for (const object of world.mirror.all('KubeadmConfig')) {
    const token = joinTokenOf(object);
    if (token) joinTokens.add(token);
  }
  return {
    onCommit: ({ type, object, namespace, name, body }) => {
      if (type === 'secrets' && body && isReadable(body))
        throw new Violation('secrets', `${namespace}/${name} is stored as anybody could read it`);
      if (type === 'secrets') return learn(object);
      if (type === 'events') texts.push(JSON.stringify(object ?? ''));
      if (!isTold.test(type)) return;
      const token = joinTokenOf(object);
      if (token) joinTokens.add(token);
      found(JSON.stringify(object ?? ''), `${type} ${namespace}/${name}`);
    },
    onCall: ({ action, input }) => {
      if (action !== 'RunInstances') return;
      const { UserData } = input as { UserData?: string };
      found(Buffer.from(UserData ?? '', 'base64').toString(), 'user data');
    },
    atEnd: () => {
      for (const line of world.logs) found(line, 'the log');
      for (const text of texts) found(text, 'an Event');
    },
  };
};
