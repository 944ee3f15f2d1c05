/** The ports of kinds as the loop calls them. */
import type { Pki, PkiReads } from '../kinds/ports/pki.ts';
import type { Workload, WorkloadEffects, WorkloadReads } from '../kinds/ports/workload.ts';
import type { Port } from '../machinery/controller/index.ts';

export const workloadPort = (workload: Workload): Required<Port> => ({
  read: (operation, input) =>
    workload.read(operation as keyof WorkloadReads, input as unknown as WorkloadReads[keyof WorkloadReads][0]),
  call: (operation, input) =>
    workload.effect(operation as keyof WorkloadEffects, input as unknown as WorkloadEffects[keyof WorkloadEffects]),
});

export const pkiPort = (pki: Pki): Port => ({
  read: (operation, input) => pki.read(operation as keyof PkiReads, input as unknown as PkiReads[keyof PkiReads][0]),
});
