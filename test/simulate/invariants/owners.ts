/** Owners are who they are said to be, and what controllers make has one. */
import { isDeepStrictEqual } from 'node:util';
import type { KubeObject, OwnerReference } from '../../../machinery/api/object.ts';
import { type Invariant, type Setting, Violation } from './invariant.ts';

const rule = 'owners';
const owned = new Set(['MachineSet', 'Machine', 'AWSMachine', 'KubeadmConfig', 'ClusterOperation', 'Secret']);

export const owners = ({ world }: Setting): Invariant => {
  const { mirror } = world;
  /** What each uid stands, or stood, for. */
  const identities = new Map<string, string>();
  const note = ({ kind, metadata }: KubeObject) => identities.set(metadata.uid!, `${kind} ${metadata.name}`);
  for (const object of mirror.everything()) note(object);
  return {
    onCommit: ({ event, type, object, before, writer }) => {
      if (!object) return;
      note(object);
      if (!writer) return;
      const { name, ownerReferences = [] } = object.metadata;
      if (event === 'ADDED' && ownerReferences.length === 0 && owned.has(object.kind))
        throw new Violation(rule, `${writer} makes ${type} ${name} of nobody`);
      // What a client wrote down stays as it is.
      const isNews = (owner: OwnerReference) =>
        !before?.metadata.ownerReferences?.some((one) => isDeepStrictEqual(one, owner));
      for (const owner of ownerReferences.filter(isNews))
        if (identities.get(owner.uid) !== `${owner.kind} ${owner.name}`)
          throw new Violation(
            rule,
            `${type} ${name} is owned by ${owner.kind} ${owner.name}, and ${owner.uid} is ${identities.get(owner.uid) ?? 'nobody'}`,
          );
      if (ownerReferences.filter(({ controller }) => controller).length > 1)
        throw new Violation(rule, `${type} ${name} has two controllers`);
    },
  };
};
