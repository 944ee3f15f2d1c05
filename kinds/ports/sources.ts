/** Manifests and charts that users name by their place and digest, as text of manifests. */
import type { JsonObject } from '../../machinery/api/object.ts';
import { asks } from './port.ts';

/** Why there is none. The names are reasons of conditions. */
export type SourceFault =
  | 'SourceNotFound'
  | 'SourceForbidden'
  | 'SourceUnavailable'
  | 'SourceTooLarge'
  | 'DigestMismatch'
  | 'ChartInvalid'
  | 'HelmNotFound';

export type Sourced = { text: string; failed?: never } | { failed: SourceFault; message: string; text?: never };

interface Pinned {
  /** `sha256:…` of the file, or of the OCI manifest. */
  digest: string;
  /** Certificates of authorities besides the public ones, PEM in base64. */
  caBundle?: string;
}

export type ChartSource = Pinned & {
  /** `oci://HOST/PATH` or `https://HOST/PATH`, without the chart's name. */
  repoURL: string;
  chartName: string;
  version: string;
};

export type SourcesReads = {
  /** A file of manifests. */
  File: [Pinned & { url: string }, Sourced];
  /** A chart, as Helm renders it for an installation. */
  Chart: [
    ChartSource & { releaseName: string; namespace: string; values: JsonObject; kubernetesVersion: string },
    Sourced,
  ];
};

export const askSources = asks<SourcesReads>('sources');
