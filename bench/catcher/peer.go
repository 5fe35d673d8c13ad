// The Go peer: decodes the body, indents it with MarshalIndent and prints it, then answers.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
)

func handle(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var value interface{}
	if err := json.Unmarshal(body, &value); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	fmt.Println(r.Method, r.URL)
	for name, values := range r.Header {
		for _, text := range values {
			fmt.Printf("%s: %s\n", name, text)
		}
	}
	pretty, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	fmt.Println(string(pretty))
	fmt.Fprint(w, "Data received successfully")
}

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Fprintf(os.Stderr, "listening on http://%s\n", listener.Addr())
	http.HandleFunc("/", handle)
	http.Serve(listener, nil)
}
