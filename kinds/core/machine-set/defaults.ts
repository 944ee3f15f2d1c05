import type { Admission } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { withClusterLabel } from '../../common/cluster-label.ts';
import { labels } from '../../common/labels.ts';
import { labelValueOf } from '../../common/names.ts';
import { defaultReplicas } from '../../common/replicas.ts';
import { isEmptySelector } from '../../common/validate.ts';
import { templateWithVersion, wholeTemplate } from '../machine/defaults.ts';
import type { MachineTemplate } from '../machine/schema.ts';
import type { MachineSet } from './schema.ts';

export const withTemplateLabels = (template: MachineTemplate, added: Record<string, string>): MachineTemplate => ({
  ...template,
  metadata: { ...template.metadata, labels: { ...template.metadata?.labels, ...added } },
});

export const defaultMachineSet = (object: KubeObject, { old }: Admission): KubeObject => {
  const machineSet = object as MachineSet;
  if (!machineSet.spec) return object;
  const { selector, clusterName } = machineSet.spec;
  const template = wholeTemplate(machineSet.spec.template);
  const replicas = defaultReplicas(machineSet, old as MachineSet | undefined);
  const own = isEmptySelector(selector) ? { [labels.set]: labelValueOf(machineSet.metadata.name) } : undefined;
  return withClusterLabel(
    {
      ...machineSet,
      spec: {
        ...machineSet.spec,
        ...(replicas !== undefined && { replicas }),
        selector: own ? { ...selector, matchLabels: own } : selector,
        template: templateWithVersion(own ? withTemplateLabels(template, own) : template),
      },
    },
    clusterName,
  );
};
