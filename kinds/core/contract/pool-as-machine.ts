/** A MachinePool as the rules for Machines see it: one Machine of its template that never gets a host. */
import { controllerReference } from '../../common/owners.ts';
import type { Machine } from '../machine/schema.ts';
import type { MachinePool } from '../machine-pool/schema.ts';

export const isOfPool = ({ kind }: Machine): boolean => kind === 'MachinePool';

export const asMachine = ({ apiVersion, kind, metadata, spec }: MachinePool): Machine => ({
  apiVersion,
  kind,
  metadata,
  ...(spec && { spec: spec.template.spec }),
});

/** The owner of its Nodes: they get the template's labels and annotations, as Machines of a set would. */
export const asNodeOwner = (pool: MachinePool): Machine => {
  const { labels = {}, annotations = {} } = pool.spec?.template.metadata ?? {};
  const { name, namespace = '' } = pool.metadata;
  const metadata = { name, namespace, labels, annotations, ownerReferences: [controllerReference(pool)] };
  return { ...asMachine(pool), metadata };
};
