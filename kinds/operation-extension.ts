/** Admission of operations that users ask for. The first such request of a type loads it. */
import type { Admission, KindFacts } from '../machinery/api/kind.ts';
import type { KubeObject } from '../machinery/api/object.ts';
import type { ControlPlaneProvider } from './core/contract/control-plane.ts';
import type { ClusterOperation } from './operations/cluster-operation/schema.ts';
import type { OperationFacts, OperationStore } from './operations/shared/facts.ts';

type Admit = Awaited<ReturnType<NonNullable<OperationFacts['admission']>>>;
interface Loaded {
  admit: Admit | undefined;
  controlPlanes: readonly ControlPlaneProvider[];
}

const load = async (type: string): Promise<Loaded> => {
  const [{ factsOf }, { controlPlanes }] = await Promise.all([
    import('./operations/facts.ts'),
    import('./control-planes.ts'),
  ]);
  return { admit: await factsOf(type)?.admission?.(), controlPlanes };
};

const loaded = new Map<string, Loaded>();
const admissionFor = async (type: string): Promise<Loaded> => {
  const admission = loaded.get(type) ?? (await load(type));
  // Clients may send any text as a type.
  if (admission.admit) loaded.set(type, admission);
  return admission;
};

/** Loads them ahead of their first use. */
export const loadAdmissions = async () => {
  const { operationTypes } = await import('./operations/facts.ts');
  await Promise.all(operationTypes.map(admissionFor));
};

/** Extension of the registry by resource. */
export const operationExtension = (store: OperationStore, kinds: readonly KindFacts[], workflows = true) => ({
  'clusteroperations.capstan.dev': {
    admit: async (object: KubeObject, { operation, byController }: Admission): Promise<KubeObject> => {
      const asked = object as ClusterOperation;
      const type = asked.spec?.type;
      if (operation !== 'create' || byController || type === undefined) return object;
      const { admit, controlPlanes } = loaded.get(type) ?? (await admissionFor(type));
      return admit ? admit({ store, kinds, controlPlanes, workflows }, asked) : object;
    },
  },
});
