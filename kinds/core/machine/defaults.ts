import type { KubeObject } from '../../../machinery/api/object.ts';
import { withClusterLabel } from '../../common/cluster-label.ts';
import { normalVersion } from '../../common/validate.ts';
import type { Machine, MachineSpec, MachineTemplate } from './schema.ts';

/** Seconds. */
export const nodeDeletionTimeout = 10;

/**
 * A stored object may lack a template or its spec: validation must reject it, not a TypeError here.
 */
export const wholeTemplate = (template: Partial<MachineTemplate> | undefined): MachineTemplate => ({
  ...template,
  spec: template?.spec ?? ({ bootstrap: {} } as MachineSpec),
});

export const templateWithVersion = (template: MachineTemplate): MachineTemplate =>
  template.spec?.version
    ? { ...template, spec: { ...template.spec, version: normalVersion(template.spec.version) } }
    : template;

export const defaultMachine = (object: KubeObject): KubeObject => {
  const machine = object as Machine;
  if (!machine.spec) return object;
  const { version, deletion, clusterName } = machine.spec;
  return withClusterLabel(
    {
      ...machine,
      spec: {
        ...machine.spec,
        ...(version && { version: normalVersion(version) }),
        deletion: { nodeDeletionTimeoutSeconds: nodeDeletionTimeout, ...deletion },
      },
    },
    clusterName,
  );
};
