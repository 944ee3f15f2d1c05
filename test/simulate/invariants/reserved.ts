/** What controllers note for themselves on objects that people write, nobody else writes, and nobody else takes off. */
import { type Invariant, type Setting, Violation } from './invariant.ts';

const notes: Readonly<Record<string, readonly string[]>> = {
  Cluster: ['operation', 'target', 'was-available', 'filled'],
  AWSCluster: ['filled', 'pending', 'cluster-uid'],
  AWSMachine: ['launch', 'pending'],
  Machine: ['filled'],
  KubeadmConfig: ['filled'],
};

export const reserved = (_: Setting): Invariant => ({
  onCommit: ({ type, namespace, name, object, before, writer }) => {
    if (writer || !object || (before && object.metadata.uid !== before.metadata.uid)) return;
    for (const note of notes[object.kind] ?? []) {
      const [was, is] = [before, object].map((one) => one?.metadata.annotations?.[`capstan.dev/${note}`]);
      if (was !== is)
        throw new Violation(
          'reserved',
          `capstan.dev/${note} of ${type} ${namespace}/${name} was ${was}, and a client has made it ${is}`,
        );
    }
  },
});
