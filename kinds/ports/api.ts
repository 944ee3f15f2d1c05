/** What the API would show of an object, and make of a write: reads of a controller that plans writes. */

import type { FieldError } from '../../machinery/api/kind.ts';
import type { JsonObject, JsonValue, KubeObject } from '../../machinery/api/object.ts';
import { asks, calls } from './port.ts';

/** An object in the version that a reference names. */
export interface Shown {
  object: KubeObject;
  /**
   * The contract that the kind, or the kind that a template is for, implements at that version:
   * v1beta1 or v1beta2.
   */
  contract: string;
}

/** What a server-side apply would change; `refused`: why the API would refuse it. */
export type Trial =
  | { change: 'create' | 'spec' | 'metadata' | 'none'; object: KubeObject; before?: KubeObject; refused?: never }
  | { refused: string };

/** A variable, as a ClusterClass defines it. */
export interface VariableDefinition {
  name: string;
  required: boolean;
  schema: { openAPIV3Schema: JsonObject };
}
export interface VariableValue {
  name: string;
  value: JsonValue;
}
export interface VariableList {
  field: string;
  values: VariableValue[];
  /** Those of the stored Cluster, for rules of transitions. */
  old: VariableValue[];
  /** Whether absent variables get their defaults, and required ones must be there. */
  isWhole: boolean;
}

export type ApiEffects = {
  /** Server-side apply, in any served version: it takes over fields of others. An object in deletion stays as it is. */
  Apply: { object: KubeObject; manager: string; writer: string };
};

export type ApiReads = {
  Show: [{ apiVersion: string; kind: string; namespace: string; name: string }, Shown];
  TryApply: [{ object: KubeObject; manager: string }, Trial];
  /** What is wrong with the schemas of variables. */
  VariableFaults: [{ definitions: VariableDefinition[] }, FieldError[]];
  FitVariables: [
    { definitions: VariableDefinition[]; lists: VariableList[] },
    { lists: VariableValue[][]; faults: FieldError[] },
  ];
};

export const askApi = asks<ApiReads>('api');
export const callApi = calls<ApiEffects>('api');
