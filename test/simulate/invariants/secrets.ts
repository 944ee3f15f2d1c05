/** Keys and tokens are nowhere but in Secrets, and where a machine fetches them once. */
import { type Invariant, type Setting, Violation } from './invariant.ts';

const inKey = /-----BEGIN [A-Z ]*PRIVATE KEY-----\s+([A-Za-z0-9+/=\s]+?)-----END/g;
/** A line in the middle of a key: no other text has it by chance. */
const canariesOf = (text: string): string[] =>
  [...text.matchAll(inKey)].map((match) => {
    const lines = match[1]!.trim().split(/\s+/);
    return lines[Math.floor(lines.length / 2)]!;
  });

export const secrets = ({ world }: Setting): Invariant => {
  const canaries = new Set<string>();
  const texts: string[] = [];
  const found = (text: string, where: string) => {
    for (const canary of canaries)
      if (text.includes(canary)) throw new Violation('secrets', `a private key stands in ${where}`);
  };
  return {
    onCommit: ({ type, object, namespace, name }) => {
      if (type !== 'secrets') {
        if (type === 'events') texts.push(JSON.stringify(object ?? ''));
        else if (/kubeadmconfigs|clusteroperations|awsmachines|workloadsnapshots/.test(type))
          found(JSON.stringify(object ?? ''), `${type} ${namespace}/${name}`);
        return;
      }
      const { data = {} } = (object ?? {}) as { data?: Record<string, string> };
      for (const value of Object.values(data))
        for (const canary of canariesOf(Buffer.from(value, 'base64').toString())) canaries.add(canary);
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
