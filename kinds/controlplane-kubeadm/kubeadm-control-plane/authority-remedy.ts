/** How a user gets a damaged or lost authority back: from the keys that are kept with an etcd snapshot. Pure. */
import { isTrue } from '../../../machinery/api/conditions.ts';
import type { Condition, KubeObject } from '../../../machinery/api/object.ts';
import { type Graph, kubectl } from '../../common/causes/index.ts';
import { restoreKeysAnnotation } from '../../core/contract/file-requests.ts';

interface Keeping {
  conditions?: Condition[];
  completedAt?: string;
  keys?: { kept?: string[] };
}
const statusOf = ({ status }: KubeObject): Keeping => (status ?? {}) as Keeping;

/** Those that a message calls damaged, and those that it calls absent. */
const secretsIn = (message: string): { name: string; isAbsent: boolean }[] =>
  [...message.matchAll(/\bSecret (?:[\w.-]+\/)?([\w-]+(?:\.[\w-]+)*)( does not exist)?/g)].map(
    ([, name = '', absent]) => ({ name, isAbsent: absent !== undefined }),
  );

/** The last good snapshot that keeps all of them. */
const keeperOf = (names: readonly string[], graph: Graph): KubeObject | undefined =>
  graph
    .ofKind('EtcdSnapshot')
    .filter((snapshot) => {
      const { conditions, keys } = statusOf(snapshot);
      return isTrue(conditions, 'Ready') && names.every((name) => keys?.kept?.includes(name));
    })
    .toSorted((a, b) => ((statusOf(a).completedAt ?? '') < (statusOf(b).completedAt ?? '') ? -1 : 1))
    .at(-1);

/** Only what is absent is made again, so a damaged Secret is deleted first, after a copy of it is saved. */
export const authorityCommands = ({ metadata }: KubeObject, graph: Graph, message: string): string[] => {
  const secrets = secretsIn(message);
  const names = [...new Set(secrets.map(({ name }) => name))];
  const keeper = names.length > 0 ? keeperOf(names, graph) : undefined;
  if (!keeper) return [];
  const { namespace } = metadata;
  const damaged = names.filter((name) => !secrets.some((one) => one.name === name && one.isAbsent));
  return [
    ...damaged.flatMap((name) => [
      `kubectl get secret ${name} -n ${namespace} -o yaml > ${name}.yaml`,
      `kubectl delete secret ${name} -n ${namespace}`,
    ]),
    kubectl('annotate', keeper, `--overwrite ${restoreKeysAnnotation}="$(date)"`),
  ];
};
