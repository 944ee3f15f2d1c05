/** Of manifests in today's form: whether the programs of their machines start with what they configure. */
import { parseVersion } from '../../kinds/common/kubernetes-version.ts';
import { normalVersion } from '../../kinds/common/validate.ts';
import { codeOf, judgeKubeadmSpec, type KubeadmSpec, messageOf } from '../../kinds/components/kubeadm-spec.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import { type Check, failed } from './check.ts';

type ControlPlane = KubeObject<{ version?: string; kubeadmConfigSpec?: KubeadmSpec }>;
type Template = KubeObject<{ template?: { spec?: KubeadmSpec } }>;
type Deployment = KubeObject<{
  template?: { spec?: { version?: string; bootstrap?: { configRef?: { kind?: string; name?: string } } } };
}>;

interface Machines {
  object: KubeObject;
  path: string;
  spec: KubeadmSpec | undefined;
  version: string | undefined;
  isControlPlane: boolean;
}

const machinesOf = (object: KubeObject, all: readonly KubeObject[]): Machines[] => {
  if (object.kind === 'KubeadmControlPlane') {
    const { kubeadmConfigSpec: spec, version } = (object as ControlPlane).spec ?? {};
    return [{ object, path: 'spec.kubeadmConfigSpec', spec, version, isControlPlane: true }];
  }
  if (object.kind !== 'KubeadmConfigTemplate') return [];
  const users = (all as Deployment[]).filter(({ spec }) => {
    const reference = spec?.template?.spec?.bootstrap?.configRef;
    return reference?.kind === object.kind && reference.name === object.metadata.name;
  });
  const versions = [...new Set(users.map(({ spec }) => spec?.template?.spec?.version))];
  const spec = (object as Template).spec?.template?.spec;
  return versions.map((version) => ({ object, path: 'spec.template.spec', spec, version, isControlPlane: false }));
};

/** One check for each fault, by its code. */
export const checksOfComponents = (objects: readonly KubeObject[]): Check[] => {
  const current = objects.filter(({ apiVersion }) => String(apiVersion).endsWith('.cluster.x-k8s.io/v1beta2'));
  return current.flatMap((one) =>
    machinesOf(one, objects).flatMap(({ object, path, spec, version, isControlPlane }) => {
      const release = version === undefined ? undefined : parseVersion(normalVersion(version));
      if (!spec || release?.major !== 1) return [];
      return judgeKubeadmSpec(spec, release.minor, isControlPlane)
        .filter(({ isUncertain }) => !isUncertain)
        .map((fault): Check => {
          const says = `${codeOf(fault)}: ${path}.${fault.path}: ${messageOf(fault, release.minor)}: ${fault.remedy}`;
          return { name: `${object.kind}/${object.metadata.name} `, run: async () => failed(says) };
        });
    }),
  );
};
