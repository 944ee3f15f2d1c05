import { groupOf } from '../../machinery/api/kind.ts';
import type { KubeObject, OwnerReference } from '../../machinery/api/object.ts';
import { awsMachineFinalizer } from '../infrastructure-aws/aws-machine/controller-names.ts';
import { annotations } from './labels.ts';
import type { Reference } from './schema.ts';

/** What the controller of a kind would add first. */
const finalizers: Record<string, string[]> = { AWSMachine: [awsMachineFinalizer] };

/** The kind that a template's kind is a template of. */
export const templatedKind = (kind: string): string => kind.replace(/Template$/, '');

interface Template extends KubeObject {
  spec?: {
    template?: {
      metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> };
      spec?: unknown;
    };
  };
}

/** A new object made from a template. It says what it was cloned from: rollouts compare that. */
export const cloneOf = (
  template: KubeObject,
  made: {
    name: string;
    owner: OwnerReference;
    labels: Record<string, string>;
    annotations: Record<string, string>;
  },
): KubeObject => {
  const { metadata, spec } = (template as Template).spec?.template ?? {};
  const kind = templatedKind(template.kind);
  return {
    apiVersion: template.apiVersion,
    kind,
    metadata: {
      name: made.name,
      namespace: template.metadata.namespace ?? '',
      labels: { ...metadata?.labels, ...made.labels },
      annotations: {
        ...metadata?.annotations,
        ...made.annotations,
        [annotations.clonedFromName]: template.metadata.name,
        [annotations.clonedFromGroupKind]: `${template.kind}.${groupOf(template.apiVersion)}`,
      },
      ownerReferences: [made.owner],
      ...(finalizers[kind] && { finalizers: finalizers[kind] }),
    },
    ...(spec !== undefined && { spec }),
  };
};

export const referenceTo = (object: KubeObject): Reference => ({
  apiGroup: groupOf(object.apiVersion),
  kind: object.kind,
  name: object.metadata.name,
});
