/** On an AWSManagedControlPlane: the range of the Services, which EKS may have chosen. Reserved for controllers. */
export const serviceCidrAnnotation = 'capstan.dev/eks-service-cidr';
