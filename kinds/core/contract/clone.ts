import { groupOf } from '../../../machinery/api/kind.ts';
import type { KubeObject, OwnerReference } from '../../../machinery/api/object.ts';
import { annotations } from '../../common/labels.ts';
import type { Reference } from '../../common/schema.ts';

/** The kind that a template's kind creates. */
export const templatedKind = (kind: string): string => kind.replace(/Template$/, '');

interface Template extends KubeObject {
  spec?: {
    template?: {
      metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> };
      spec?: unknown;
    };
  };
}

/**
 * A new object from a template. It records the template it was cloned from, which rollouts compare.
 */
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
  return {
    apiVersion: template.apiVersion,
    kind: templatedKind(template.kind),
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
    },
    ...(spec !== undefined && { spec }),
  };
};

export const referenceTo = (object: KubeObject): Reference => ({
  apiGroup: groupOf(object.apiVersion),
  kind: object.kind,
  name: object.metadata.name,
});
