/** Where the kubelet puts the service account of a pod (ServiceAccount admission). */
export const SERVICE_ACCOUNT_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';
