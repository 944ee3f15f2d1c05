import { gunzipSync } from 'node:zlib';
import type { RunInstancesInput } from '../../../../kinds/ports/cloud/index.ts';
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { madeFor } from '../relations.ts';
import type { Rule, Rules } from '../rule.ts';
import { userProvided } from './user-provided.ts';

const inKey = /-----BEGIN [A-Z ]*PRIVATE KEY-----\s+([A-Za-z0-9+/=\s]+?)-----END/g;
/** Lines from the middle of each private key, which occur nowhere else by chance. */
const canariesOf = (text: string): string[] =>
  [...text.matchAll(inKey)].map((match) => {
    const lines = match[1]!.trim().split(/\s+/);
    return lines[Math.floor(lines.length / 2)]!;
  });

/**
 * The base64 of a text within a longer text, at each of its three alignments. Characters that
 * depend on neighbouring bytes are cut off.
 */
const inBase64 = (text: string): string[] =>
  [0, 1, 2].map((before) => {
    const encoded = Buffer.from(' '.repeat(before) + text).toString('base64');
    return encoded.slice(before === 0 ? 0 : before + 1, 4 * Math.floor((before + text.length) / 3));
  });
/** PEM in base64, as in kubeconfigs and Secrets. */
const encodedPem = /LS0tLS1CRUdJTi[A-Za-z0-9+/=]+/g;

/** The shortest token that no other text contains by chance. */
const shortestToken = 16;

/** Whether the body can be read without a key. */
const isReadable = (body: Uint8Array): boolean => {
  try {
    return gunzipSync(body).length > 0;
  } catch {
    return false;
  }
};

const noLeaks: Rule = ({ world }, broken) => {
  const keys = new Set<string>();
  /** Of joining hosts, and of the webhooks of API servers. */
  const tokens = new Set<string>();
  /** The base64 forms of the canaries, in Secrets and in kubeconfigs. */
  const encoded = new Set<string>();
  const texts: string[] = [];
  const expectNone = (what: string, among: Iterable<string>, text: string, where: string) => {
    for (const one of among) if (text.includes(one)) throw broken(`${where} contains ${what}`);
  };
  const found = (text: string, where: string) => {
    expectNone('a private key', keys, text, where);
    if (text.search(encodedPem) >= 0) expectNone('a private key', encoded, text, where);
    expectNone("a task's token", world.taskTokens, text, where);
    expectNone('the token of a Secret', tokens, text, where);
  };
  const learn = (object: KubeObject | undefined) => {
    const { data = {} } = (object ?? {}) as { data?: Record<string, string> };
    const token = Buffer.from(data.token ?? '', 'base64').toString();
    if (token.length >= shortestToken) tokens.add(token);
    for (const value of Object.values(data)) {
      const text = Buffer.from(value, 'base64').toString();
      for (const canary of canariesOf(text)) {
        keys.add(canary);
        for (const form of inBase64(canary)) encoded.add(form);
      }
      for (const [pem] of text.matchAll(encodedPem))
        for (const canary of canariesOf(Buffer.from(pem, 'base64').toString())) {
          keys.add(canary);
          for (const form of inBase64(canary)) for (const one of [form, ...inBase64(form)]) encoded.add(one);
        }
    }
  };
  for (const object of world.mirror.all('Secret')) learn(object);
  return {
    onCommit: ({ type, object, namespace, name, body }) => {
      if (type === 'secrets' && body && isReadable(body)) throw broken(`${namespace}/${name} is stored unencrypted`);
      if (type === 'secrets') return learn(object);
      const text = JSON.stringify(object ?? '');
      if (type === 'events') texts.push(text);
      found(text, `${type} ${namespace}/${name}`);
    },
    onCall: ({ action, input }) => {
      if (action !== 'RunInstances') return;
      const { UserData, TagSpecifications } = input as RunInstancesInput;
      const machine = madeFor(world.mirror, TagSpecifications?.[0]?.Tags);
      if (machine?.spec?.cloudInit?.insecureSkipSecretsManager) return;
      found(Buffer.from(UserData ?? '', 'base64').toString(), 'user data');
    },
    atEnd: () => {
      for (const line of world.logs) found(line, 'the log');
      for (const text of texts) found(text, 'an Event');
    },
  };
};

export const secretsRules: Rules = {
  'private keys and tokens appear in Secrets only': noLeaks,
  'certificates that users provide are used and never changed': userProvided,
};
