/** Where a control plane has what its topology decides, by the version of Cluster API's contract. Pure. */
import { formatDuration } from '../../../machinery/api/durations.ts';
import { groupOf } from '../../../machinery/api/kind.ts';
import { isObject, type JsonObject, type JsonValue } from '../../../machinery/api/object.ts';

export type Labelled = { labels?: Record<string, string>; annotations?: Record<string, string> };

export interface MachineSettings {
  infrastructure: { apiVersion: string; kind: string; name: string; namespace: string } | undefined;
  deletion: Record<string, number | undefined>;
  readinessGates: JsonValue | undefined;
  taints: JsonValue | undefined;
  metadata: Labelled | undefined;
}

const objectIn = (value: JsonValue | undefined): JsonObject => (isObject(value) ? (value as JsonObject) : {});
const given = (fields: Record<string, JsonValue | undefined>): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined));

const metadataFields = ({ labels = {}, annotations = {} }: Labelled): JsonObject | undefined => {
  const fields = given({
    labels: Object.keys(labels).length > 0 ? labels : undefined,
    annotations: Object.keys(annotations).length > 0 ? annotations : undefined,
  });
  return Object.keys(fields).length > 0 ? fields : undefined;
};

const shared = (template: JsonObject, { metadata, taints }: MachineSettings): JsonObject =>
  given({ ...template, ...(metadata && { metadata: metadataFields(metadata) }), ...(taints && { taints }) });

const older = (template: JsonObject, settings: MachineSettings): JsonObject => {
  const { infrastructure, deletion, readinessGates } = settings;
  const timeouts = Object.fromEntries(
    Object.entries(deletion).map(([name, seconds]) => [
      name.replace(/Seconds$/, ''),
      seconds === undefined ? undefined : formatDuration(seconds),
    ]),
  );
  return given({
    ...shared(template, settings),
    ...(infrastructure && { infrastructureRef: infrastructure }),
    ...given(timeouts),
    ...(readinessGates && { readinessGates }),
  });
};

const newer = (template: JsonObject, settings: MachineSettings): JsonObject => {
  const { infrastructure, deletion, readinessGates, taints } = settings;
  const { taints: _, ...rest } = shared(template, settings);
  const spec = objectIn(template.spec);
  const timeouts = given({ ...objectIn(spec.deletion), ...deletion });
  const fields = given({
    ...spec,
    ...(infrastructure && {
      infrastructureRef: {
        apiGroup: groupOf(infrastructure.apiVersion),
        kind: infrastructure.kind,
        name: infrastructure.name,
      },
    }),
    deletion: Object.keys(timeouts).length > 0 ? timeouts : undefined,
    ...(readinessGates && { readinessGates }),
    ...(taints && { taints }),
  });
  return given({ ...rest, ...(Object.keys(fields).length > 0 && { spec: fields }) });
};

/** The spec of a control plane with the settings of its machines. */
export const withMachineSettings = (spec: JsonObject, contract: string, settings: MachineSettings): JsonObject => {
  const template = objectIn(spec.machineTemplate);
  const machineTemplate = contract === 'v1beta1' ? older(template, settings) : newer(template, settings);
  return { ...spec, ...(Object.keys(machineTemplate).length > 0 && { machineTemplate }) };
};

/** The labels and annotations that a template gives the machines of a control plane. */
export const machineMetadataIn = (spec: JsonObject): Labelled =>
  objectIn(objectIn(spec.machineTemplate).metadata) as Labelled;
