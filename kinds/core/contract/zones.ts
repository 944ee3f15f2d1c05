/**
 * Where machines of an infrastructure template start. Its provider reports that in the template's
 * `status.zones`, in which the autoscaler reads it. Pure.
 */
import type { KubeObject } from '../../../machinery/api/object.ts';

/** Zones in which a machine without a failure domain starts, in the order in which they are tried. */
export const zonesOf = (template: KubeObject | undefined): string[] =>
  (template?.status as { zones?: string[] } | undefined)?.zones ?? [];
