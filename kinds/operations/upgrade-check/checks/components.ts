/** Whether the programs of the new machines start with the flags that they get. Pure. */
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { codeOf, judgeKubeadmSpec, type KubeadmSpec, messageOf } from '../../../components/kubeadm-spec.ts';
import { type Check, type Finding, nameOf, ofField } from './facts.ts';
import { versionOf } from './versions.ts';

const findingsIn = (
  object: string,
  path: string,
  spec: KubeadmSpec,
  minor: number,
  isControlPlane: boolean,
): Finding[] =>
  judgeKubeadmSpec(spec, minor, isControlPlane).map((fault) => ({
    code: codeOf(fault),
    level: fault.isUncertain ? 'Warn' : 'Refuse',
    ...ofField(object, `${path}.${fault.path}`, messageOf(fault, minor), fault.remedy),
  }));

const ofControlPlane: Check = ({ target, controlPlane }) => {
  const { kubeadmConfigSpec } = (controlPlane?.spec ?? {}) as { kubeadmConfigSpec?: KubeadmSpec };
  if (!controlPlane || !kubeadmConfigSpec || target.major !== 1) return [];
  return findingsIn(nameOf(controlPlane), 'spec.kubeadmConfigSpec', kubeadmConfigSpec, target.minor, true);
};

type Template = KubeObject<{ template?: { spec?: KubeadmSpec } }>;

/** A template that several MachineDeployments use is judged once. */
const ofWorkers: Check = ({ target, machineDeployments, kubeadmTemplates = [] }) =>
  kubeadmTemplates.flatMap((template): Finding[] => {
    const users = machineDeployments.filter(({ spec }) => {
      const reference = spec?.template.spec.bootstrap?.configRef;
      return reference?.kind === 'KubeadmConfigTemplate' && reference.name === template.metadata.name;
    });
    const spec = (template as Template).spec?.template?.spec;
    if (users.length === 0 || !spec || target.major !== 1) return [];
    // Workers that stay at a newer version than the target are another check's.
    const newest = Math.max(target.minor, ...users.map((user) => versionOf(user.spec?.template.spec)?.minor ?? 0));
    return findingsIn(nameOf(template), 'spec.template.spec', spec, newest, false);
  });

export const checkComponents: Check = (facts) => [...ofControlPlane(facts), ...ofWorkers(facts)];
