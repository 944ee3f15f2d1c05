/** What a node has to know of its cluster, as the controller of the control plane left it. Pure. */
import { connectionOf } from '../ports/kubeconfig.ts';
import type { AWSManagedControlPlane } from './aws-managed-control-plane/schema.ts';
import { serviceCidrAnnotation } from './service-cidr.ts';

/** Undefined while something of it is not known. */
export const endpointFacts = ({ spec, metadata }: AWSManagedControlPlane, kubeconfig: string | undefined) => {
  const cidr = metadata.annotations?.[serviceCidrAnnotation];
  const name = spec?.eksClusterName;
  if (!kubeconfig || !cidr || !name) return undefined;
  try {
    const { server, caCertificate = '' } = connectionOf(kubeconfig);
    const certificateAuthority = Buffer.from(caCertificate).toString('base64');
    return { name, apiServerEndpoint: server, certificateAuthority, cidr };
  } catch {
    // Its controller writes the kubeconfig anew.
    return undefined;
  }
};
