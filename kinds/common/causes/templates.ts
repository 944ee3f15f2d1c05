/**
 * Commands that change a template: it is copied under a new name, because it cannot be changed or
 * because a change reaches no Machine, and its owner is pointed at the copy. Pure.
 */
import type { KubeObject } from '../../../machinery/api/object.ts';
import { kubectl, mergePatch } from './commands.ts';
import type { Graph, Reference } from './graph.ts';

const topologyOwned = 'topology.cluster.x-k8s.io/owned';

export const isTemplate = ({ kind }: Pick<KubeObject, 'kind'>): boolean => kind.endsWith('Template');

const refersTo = (value: object, { kind, metadata: { name } }: KubeObject): boolean => {
  const reference = value as Partial<Reference>;
  return reference.kind === kind && reference.name === name;
};

/** A merge patch that replaces the name in the first reference to a template; undefined without one. */
const renamed = (value: unknown, template: KubeObject, name: string): object | undefined => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  if (refersTo(value, template)) return { name };
  for (const [field, inner] of Object.entries(value)) {
    const patch = renamed(inner, template, name);
    if (patch) return { [field]: patch };
  }
  return undefined;
};

/** `workers-2` of `workers`, `workers-3` of `workers-2`: the first that is not taken. */
const nextName = ({ kind, metadata: { name } }: KubeObject, graph: Graph): string => {
  const [, base = name, number = '1'] = /^(.*)-(\d{1,3})$/.exec(name) ?? [];
  for (let next = Number(number) + 1; ; next++) if (!graph.get(kind, `${base}-${next}`)) return `${base}-${next}`;
};

/** Set by the API server. */
const given = 'uid|resourceVersion|creationTimestamp|generation';

/** None for a template that belongs to a topology, whose class has the one to change. */
export const copyTemplate = (template: KubeObject, graph: Graph): string[] => {
  const { name, labels } = template.metadata;
  if (labels?.[topologyOwned] !== undefined) return [];
  const next = nextName(template, graph);
  const owners = graph.objects.flatMap((object) => {
    const isOwned =
      object.kind === 'MachineSet' && object.metadata.ownerReferences?.some(({ controller }) => controller);
    const patch = isOwned || isTemplate(object) ? undefined : renamed(object.spec, template, next);
    return patch && !['Machine', 'Cluster'].includes(object.kind) ? [mergePatch(object, { spec: patch })] : [];
  });
  if (owners.length === 0) return [];
  return [
    `${kubectl('get', template, '-o yaml')} | sed -E -e '/^  (${given}):/d' -e 's/^  name: ${name}$/  name: ${next}/' > ${next}.yaml`,
    `\${EDITOR:-vi} ${next}.yaml && kubectl create -f ${next}.yaml`,
    ...owners,
  ];
};

/** The template that an object was cloned from. */
export const templateOf = ({ metadata: { annotations = {} } }: KubeObject, graph: Graph): KubeObject | undefined => {
  const [kind] = annotations['cluster.x-k8s.io/cloned-from-groupkind']?.split('.') ?? [];
  return graph.get(kind, annotations['cluster.x-k8s.io/cloned-from-name']);
};

/** How a user changes an object's spec. */
export const changeSpec = (object: KubeObject, graph: Graph): string[] =>
  isTemplate(object) ? copyTemplate(object, graph) : [kubectl('edit', object)];
